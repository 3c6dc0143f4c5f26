import type { AlertEvent, Severity } from '../alert.ts'
import { describeAlert } from './describe-alert.ts'
import { fitText } from './fit-text.ts'

// Incoming webhooks take `text` for notifications and `blocks` for the message
// (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). Limits of length are those of the pages
// of each block (https://docs.slack.dev/reference/block-kit/blocks/section-block; both seen 2026-11-24).
const MAX_HEADER_CHARACTERS = 150
const MAX_SECTION_CHARACTERS = 3_000
const MAX_FIELD_CHARACTERS = 2_000
const MAX_FIELDS = 10
/** Slack truncates a longer text, and a notification shows much less. */
const MAX_TEXT_CHARACTERS = 4_000

const symbols: Readonly<Record<Severity, string>> = {
  info: ':information_source:',
  warning: ':warning:',
  critical: ':rotating_light:',
}

export function writeSlackBody(event: AlertEvent): string {
  const { title, message, advice, facts } = describeAlert(event)
  const symbol = event.alert.resolved === undefined ? symbols[event.alert.severity] : ':white_check_mark:'
  const words = advice === undefined ? message : `${message}\n_${advice}_`
  return JSON.stringify({
    text: fitText(escapeMarkup(`${title}: ${message}`), MAX_TEXT_CHARACTERS),
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: fitText(`${symbol} ${title}`, MAX_HEADER_CHARACTERS), emoji: true },
      },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: fitText(escapeMarkup(words), MAX_SECTION_CHARACTERS) },
      },
      {
        type: 'section',
        fields: facts.slice(0, MAX_FIELDS).map(([name, value]) => ({
          type: 'mrkdwn',
          text: fitText(escapeMarkup(`*${name}*\n${value}`), MAX_FIELD_CHARACTERS),
        })),
      },
    ],
  })
}

/**
 * Escapes the three characters of links and mentions (https://docs.slack.dev/messaging/formatting-message-text, seen
 * 2026-11-24).
 */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
