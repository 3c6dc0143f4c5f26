/**
 * Fields by which callers reference objects stored by a provider, in the spellings of all formats and of proto JSON.
 * For a container, a conversation and a prompt, the next bytes distinguish a reference from a text in a field of that
 * name.
 */
const names =
  /"(?:cached_?content|file_?(?:uri|id)s?|fileSearchStoreNames|file_search_store_names|vector_store_ids?|previous_(?:response|interaction)_id|container_?id|skill_?id|connector_id|s3_?location|rag_?(?:corpus|corpora|resources)|data_?store|preset)"\s*:|"item_reference"|"(?:container|conversation)"\s*:\s*["{]|"(?:prompt|audio|voice)"\s*:\s*\{\s*"|"(?:gs|s3):\/\/|googleapis\.com\\?\/(?:[\w.-]{1,20}\\?\/){0,2}files\\?\//i
/** A text search does not find names that are written with such escapes. No client escapes letters like this. */
const escapedLetter = /\\u00[4-7][0-9a-f]/i

/**
 * Whether a request's body references an object that its provider stores: a file, a cached text, a conversation and the
 * like.
 */
export function namesStoredObjects(body: readonly Buffer[]): boolean {
  const text = Buffer.concat(body).toString('latin1')
  return names.test(text) || escapedLetter.test(text)
}
