import { writeTime } from '../../kit/time/write-time.ts'
import type { AlertEvent, Severity } from '../alert.ts'
import { describeAlert } from './describe-alert.ts'
import { fitText } from './fit-text.ts'

// The body of a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook) and the limits of
// embeds (https://discord.com/developers/docs/resources/message#embed-object-embed-limits; copies of both).
const MAX_TITLE_CHARACTERS = 256
const MAX_FIELD_NAME_CHARACTERS = 256
const MAX_FIELDS = 25
/** All texts of a message may have 6,000 characters together. This limit leaves room for every fact. */
const MAX_DESCRIPTION_CHARACTERS = 2_000
const MAX_FIELD_VALUE_CHARACTERS = 256

const RESOLVED_COLOUR = 0x2e8540
const colours: Readonly<Record<Severity, number>> = { info: 0x2271b3, warning: 0xd98e04, critical: 0xc62828 }

export function writeDiscordBody(event: AlertEvent): string {
  const { title, message, advice, facts } = describeAlert(event)
  const { resolved, severity, openedAtMs } = event.alert
  const description = advice === undefined ? message : `${message}\n*${advice}*`
  return JSON.stringify({
    username: 'Headgate',
    // A name in an alert must not mention a user.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: fitText(title, MAX_TITLE_CHARACTERS),
        description: fitText(description, MAX_DESCRIPTION_CHARACTERS),
        color: resolved === undefined ? colours[severity] : RESOLVED_COLOUR,
        timestamp: writeTime(resolved?.atMs ?? openedAtMs),
        fields: facts.slice(0, MAX_FIELDS).map(([name, value]) => ({
          name: fitText(name, MAX_FIELD_NAME_CHARACTERS),
          value: fitText(value, MAX_FIELD_VALUE_CHARACTERS),
          inline: true,
        })),
      },
    ],
  })
}
