"""The room of all that parts of a site share: context, log, limits, settings, changes."""
