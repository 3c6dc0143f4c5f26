import type { AlertEvent } from '../alert.ts'
import type { AlertReceiver } from './receiver-schema.ts'
import { writeDiscordBody } from './write-discord.ts'
import { writePagerDutyBody } from './write-pagerduty.ts'
import { writeSlackBody } from './write-slack.ts'
import { writeTeamsBody } from './write-teams.ts'
import { writeWebhookBody } from './write-webhook.ts'

export interface PostContext {
  readonly nowMs: number
  /** The name of this installation at the receiver. */
  readonly source: string
}

/** The body of the POST that reports an event, JSON in the words of the receiver. */
export function writePost(
  event: AlertEvent,
  receiver: AlertReceiver,
  { nowMs, source }: PostContext,
): string {
  switch (receiver.type) {
    case 'webhook':
      return writeWebhookBody(event, nowMs)
    case 'slack':
      return writeSlackBody(event)
    case 'discord':
      return writeDiscordBody(event)
    case 'teams':
      return writeTeamsBody(event)
    case 'pagerduty':
      return writePagerDutyBody(event, { routingKey: receiver.routingKey ?? '', source })
  }
}
