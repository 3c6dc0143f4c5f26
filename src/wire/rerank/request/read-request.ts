import type { RerankDocument, RerankRequest } from '../../../canonical/operations/rerank.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { invalidField, missingField, requireString } from '../../fields/read-field.ts'

/**
 * Reads a request with the fields of Cohere, Jina or Voyage: `top_n` or `top_k`, documents as texts or as objects.
 * Throws `GatewayError` (400) with the name of the invalid field.
 */
export function readRequest(body: JsonObject): RerankRequest {
  return {
    model: requireString(body, 'model', ''),
    query: readQuery(body['query']),
    documents: readDocuments(body['documents']),
    ...readOptions(body),
  }
}

export type RerankOptions = Omit<RerankRequest, 'model' | 'query' | 'documents'>

/** Reads the optional fields of a request. Null means the same as absent. */
export function readOptions(body: JsonObject): RerankOptions {
  return omitUndefined({
    topN: readCount(body, 'top_n') ?? readCount(body, 'top_k'),
    returnDocuments: readFlag(body, 'return_documents'),
    maxTokensPerDocument: readCount(body, 'max_tokens_per_doc'),
    truncation: readFlag(body, 'truncation'),
  })
}

function readQuery(query: JsonValue | undefined): string {
  if (query === undefined || query === null) throw missingField('query')
  if (typeof query === 'string') return query
  throw invalidField('query', 'a text')
}

function readDocuments(documents: JsonValue | undefined): readonly RerankDocument[] {
  if (documents === undefined || documents === null) throw missingField('documents')
  if (!isJsonArray(documents) || documents.length === 0)
    throw invalidField('documents', 'a list of texts or objects that is not empty')
  return documents.map(readDocument)
}

function readDocument(document: JsonValue, index: number): RerankDocument {
  if (typeof document === 'string') return { type: 'text', text: document }
  if (!isJsonObject(document)) throw invalidField(`documents[${index}]`, 'a text or an object')
  const { text } = document
  return { type: 'object', text: typeof text === 'string' ? text : undefined, value: document }
}

/** Reads a whole number above 0. Null means the same as absent. */
function readCount(body: JsonObject, name: string): number | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw invalidField(name, 'a whole number above 0')
}

function readFlag(body: JsonObject, name: string): boolean | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  throw invalidField(name, 'true or false')
}
