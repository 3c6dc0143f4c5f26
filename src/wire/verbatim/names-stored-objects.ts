/**
 * Fields by which callers name objects stored by a provider, in the spellings of all formats and of proto JSON. The
 * next bytes distinguish a container, a conversation and a prompt from texts of those names.
 */
const names =
  /"(?:cached_?content|file_?(?:uri|id)s?|fileSearchStoreNames|file_search_store_names|vector_store_ids?|previous_(?:response|interaction)_id|container_?id|skill_?id|connector_id|s3_?location|rag_?(?:corpus|corpora|resources)|data_?store|preset)"\s*:|"item_reference"|"(?:container|conversation)"\s*:\s*["{]|"(?:prompt|audio|voice)"\s*:\s*\{\s*"|"(?:gs|s3):\/\/|googleapis\.com\\?\/(?:[\w.-]{1,20}\\?\/){0,2}files\\?\//i
/** Names can be hidden so from a search for them; no client writes letters this way. */
const escapedLetter = /\\u00[4-7][0-9a-f]/i

/**
 * Whether a request's body names something that its provider keeps: a file, a cached text, a conversation and the like.
 */
export function namesStoredObjects(body: readonly Buffer[]): boolean {
  const text = Buffer.concat(body).toString('latin1')
  return names.test(text) || escapedLetter.test(text)
}
