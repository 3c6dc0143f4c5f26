import { lossFeatures } from '../src/canonical/loss.ts'
import { chatFormat } from '../src/wire/chat/chat-format.ts'
import { cohereFormat } from '../src/wire/cohere/cohere-format.ts'
import { converseFormat } from '../src/wire/converse/converse-format.ts'
import { messagesFormat } from '../src/wire/messages/messages-format.ts'
import { responsesFormat } from '../src/wire/responses/responses-format.ts'
import { renderTable } from './render-table.ts'

const formats = [chatFormat, messagesFormat, responsesFormat]
const channelFormats = [...formats, cohereFormat, converseFormat]
const headings = [
  'Loss',
  ...formats.map(({ id }) => `A ${id} caller’s field`),
  ...channelFormats.map(({ id }) => `Into ${id}`),
]

const begin = '<!-- begin losses -->'
const end = '<!-- end losses -->'

/** Replaces the table of losses of docs/translation.md. */
export function renderTranslationDocs(document: string): string {
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from === -1 || to < from) throw new Error('docs/translation.md has no section "losses"')
  return `${document.slice(0, from + begin.length)}\n\n${renderLosses()}\n\n${document.slice(to)}`
}

/** Losses that none of the formats can have belong to other operations. */
function renderLosses(): string {
  const known = lossFeatures.filter((feature) =>
    channelFormats.some(({ losable }) => losable.includes(feature)),
  )
  const rows = known.map((feature) => [
    `\`${feature}\``,
    ...formats.map((format) => `\`${format.paramOf({ feature, kind: 'dropped' })}\``),
    ...channelFormats.map(({ losable }) => (losable.includes(feature) ? 'yes' : '')),
  ])
  return renderTable(headings, rows)
}
