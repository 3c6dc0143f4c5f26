import { GatewayError } from '../../../canonical/failure.ts'
import type { RerankDocument } from '../../../canonical/operations/rerank.ts'

/** Writes documents for providers that accept only texts. Throws `GatewayError` (400) on a document without text. */
export function writeTexts(documents: readonly RerankDocument[]): readonly string[] {
  return documents.map((document, index) => {
    if (document.text !== undefined) return document.text
    throw new GatewayError('cannot_be_carried', {
      param: `documents[${index}]`,
      message: `The channel for this model ranks texts alone. Give "documents[${index}]" as a text, or as an object with a field "text".`,
    })
  })
}
