"""Reports: tables as text and JSON, and the ratios as a bar chart."""
