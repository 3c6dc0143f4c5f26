import type { AlertEvent } from '../alert.ts'
import type { AlertReceiver } from './receiver-schema.ts'
import { writeDiscordBody } from './write-discord.ts'
import { writePagerDutyBody } from './write-pagerduty.ts'
import { writeSlackBody } from './write-slack.ts'
import { writeTeamsBody } from './write-teams.ts'
import { writeWebhookBody } from './write-webhook.ts'

export interface PostContext {
  readonly nowMs: number
  /** The name that the receiver shows for this installation. */
  readonly source: string
}

/** The JSON body of the POST that reports an event, in the receiver's format. */
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
