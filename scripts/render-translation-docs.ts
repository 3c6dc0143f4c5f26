import { lossFeatures } from '../src/canonical/loss.ts'
import { chatFormat } from '../src/wire/chat/chat-format.ts'
import { messagesFormat } from '../src/wire/messages/messages-format.ts'
import { renderTable } from './render-table.ts'

const headings = ['Loss', 'A chat caller’s field', 'A messages caller’s field', 'Into messages', 'Into chat']

const begin = '<!-- begin losses -->'
const end = '<!-- end losses -->'

/** Replaces the table of losses of docs/translation.md. */
export function renderTranslationDocs(document: string): string {
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from === -1 || to < from) throw new Error('docs/translation.md has no section "losses"')
  return `${document.slice(0, from + begin.length)}\n\n${renderLosses()}\n\n${document.slice(to)}`
}

/** Losses that neither of the two formats can have belong to other operations. */
function renderLosses(): string {
  const known = lossFeatures.filter(
    (feature) => chatFormat.losable.includes(feature) || messagesFormat.losable.includes(feature),
  )
  const rows = known.map((feature) => [
    `\`${feature}\``,
    `\`${chatFormat.paramOf({ feature, kind: 'dropped' })}\``,
    `\`${messagesFormat.paramOf({ feature, kind: 'dropped' })}\``,
    messagesFormat.losable.includes(feature) ? 'yes' : '',
    chatFormat.losable.includes(feature) ? 'yes' : '',
  ])
  return renderTable(headings, rows)
}
