import type { AlertEvent, Severity } from '../alert.ts'
import { describeAlert } from './describe-alert.ts'
import { fitText } from './fit-text.ts'

// A workflow that begins with "When a Teams webhook request is received" takes a message with one adaptive card
// (https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using, seen
// 2026-11-24). A message may have 28 KB; these limits keep the longest alert far below.
const MAX_TITLE_CHARACTERS = 256
const MAX_TEXT_CHARACTERS = 4_000
const MAX_VALUE_CHARACTERS = 512

const colours: Readonly<Record<Severity, string>> = {
  info: 'accent',
  warning: 'warning',
  critical: 'attention',
}

export function writeTeamsBody(event: AlertEvent): string {
  const { title, message, advice, facts } = describeAlert(event)
  const { resolved, severity } = event.alert
  const texts = advice === undefined ? [message] : [message, advice]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    // Workflows show cards up to this version.
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      {
        type: 'TextBlock',
        text: escapeMarkdown(fitText(title, MAX_TITLE_CHARACTERS)),
        wrap: true,
        size: 'large',
        weight: 'bolder',
        color: resolved === undefined ? colours[severity] : 'good',
      },
      ...texts.map((text, index) => ({
        type: 'TextBlock',
        text: escapeMarkdown(fitText(text, MAX_TEXT_CHARACTERS)),
        wrap: true,
        isSubtle: index > 0,
      })),
      {
        type: 'FactSet',
        facts: facts.map(([name, value]) => ({
          title: name,
          value: escapeMarkdown(fitText(value, MAX_VALUE_CHARACTERS)),
        })),
      },
    ],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return JSON.stringify({ type: 'message', attachments: [attachment] })
}

/** Escapes the Markdown characters of cards, so that a name in an alert cannot add links or styles. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\*_[\]]/g, '\\$&')
}
