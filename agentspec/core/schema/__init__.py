"""schema: JSON Schema 2020-12: written short, held against values, told in words."""
