const LATEST = ':latest'

/**
 * Returns the other name of a model: with or without the tag `latest`, which Ollama assumes where a name has no tag
 * (https://github.com/ollama/ollama/blob/main/docs/api.md#model-names, seen 2026-11-30). Undefined for other tags.
 */
export function otherNameOf(model: string): string | undefined {
  if (model.endsWith(LATEST)) return model.slice(0, -LATEST.length)
  return model.includes(':', model.lastIndexOf('/') + 1) ? undefined : model + LATEST
}
