import type { DocumentBlock, SearchResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { textOfFile } from '../../fields/text-of-file.ts'
import { withExtras } from '../values/extras.ts'
import { documentFormats } from '../values/media-types.ts'
import { hasOwnSource } from '../values/own-source.ts'
import type { WriteContext } from './write-context.ts'
import { writeSource } from './write-media.ts'

export function writeDocument(block: DocumentBlock, context: WriteContext): JsonObject | undefined {
  const { source, title, context: about, extras } = block
  const written = hasOwnSource(extras) ? {} : writeFile(source)
  if (written === undefined) {
    context.losses.lose('document', 'dropped')
    return undefined
  }
  // A reader of this format cannot tell text in bytes from plain text.
  if (source.type === 'base64' && written['format'] === 'txt') context.losses.lose('document', 'approximated')
  const document = {
    ...written,
    name: nameDocument(title, context),
    ...(about === undefined || about === '' ? {} : { context: about }),
  }
  return { document: withExtras(document, extras, { losses: context.losses, path: 'messages.content' }) }
}

/** Writes the file. A text file of a type that the format has no name for, such as JSON, goes as plain text. */
function writeFile(source: DocumentBlock['source']): JsonObject | undefined {
  const own = source.type === 'text' ? undefined : writeSource(source, documentFormats)
  const text = own === undefined ? textOfFile(source) : undefined
  return text === undefined || text === '' ? own : writeText(text)
}

function writeText(text: string): JsonObject {
  return { format: 'txt', source: { bytes: Buffer.from(text, 'utf8').toString('base64') } }
}

const MAX_NAME_CHARACTERS = 200

const DEFAULT_NAME = 'Document'

/** The name of a document. Names are required and unique, with letters, digits, single spaces and some brackets. */
function nameDocument(title: string | undefined, context: WriteContext): string {
  const name = title === undefined ? '' : fitName(title)
  if (title === undefined) context.losses.lose('document', 'defaulted')
  else if (name !== title) context.losses.lose('document', 'approximated')
  const base = name === '' ? DEFAULT_NAME : name
  const unique = context.documentNames.assign(base)
  if (unique !== base && title !== undefined) context.losses.lose('document', 'approximated')
  return unique
}

function fitName(title: string): string {
  return title
    .replaceAll(/[^A-Za-z0-9\s()[\]-]+/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARACTERS)
}

/** Writes a search result. Models that do not support search results get them as text. */
export function writeSearchResult(block: SearchResultBlock, context: WriteContext): JsonObject {
  const { source, title, extras } = block
  const { losses } = context
  const texts = block.content.filter(({ text }) => text.trim() !== '')
  if (texts.length < block.content.length) context.losses.lose('search-result', 'approximated')
  if (texts.some(({ cache }) => cache !== undefined)) context.losses.lose('cache-mark', 'dropped')
  if (texts.some(({ citations }) => citations !== undefined)) context.losses.lose('citations', 'dropped')
  if (context.model.searchResults) {
    const content = texts.map(({ text }) => ({ text }))
    for (const text of texts) withExtras({}, text.extras, { losses, path: 'messages.content' })
    const written = { source, title, content }
    return { searchResult: withExtras(written, extras, { losses, path: 'messages.content' }) }
  }
  context.losses.lose('search-result', 'approximated')
  return { text: [title, source, ...texts.map(({ text }) => text)].join('\n') }
}
