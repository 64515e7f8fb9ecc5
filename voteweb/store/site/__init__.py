"""What all parts of a site share: context, log, limits, settings, changes."""
