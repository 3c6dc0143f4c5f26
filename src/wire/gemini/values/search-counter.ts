import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** The maximum number of queries to count, far above the searches of a model for one answer. */
const MAX_QUERIES = 1_000

/**
 * Counts the searches of one answer over all its chunks: unique queries that are not empty
 * (https://ai.google.dev/gemini-api/docs/google-search, seen 2026-11-23). The service does not list searches in maps:
 * any number of them counts as one.
 */
export class SearchCounter {
  readonly #queries = new Set<string>()
  #hasMaps = false

  add(candidate: JsonObject): void {
    const grounding = candidate['groundingMetadata']
    if (!isJsonObject(grounding)) return
    for (const query of listOf(grounding['webSearchQueries'])) {
      if (typeof query === 'string' && query !== '' && this.#queries.size < MAX_QUERIES)
        this.#queries.add(query)
    }
    for (const chunk of listOf(grounding['groundingChunks'])) {
      if (isJsonObject(chunk) && isJsonObject(chunk['maps'])) this.#hasMaps = true
    }
  }

  /** The number of calls by tool, with the names of `Usage.toolCalls`. */
  get toolCalls(): Readonly<Record<string, number>> {
    const searches = this.#queries.size
    return {
      ...(searches > 0 && { web_search: searches }),
      ...(this.#hasMaps && { google_maps: 1 }),
    }
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : []
}
