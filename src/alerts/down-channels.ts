import type { Condition } from './alert.ts'
import type { AlertRule } from './alert-rule-schema.ts'
import { matchesAny } from './match-names.ts'
import type { AlertEnd } from './open-alerts.ts'

export type DownRule = Extract<AlertRule, { kind: 'channel-down' }>

/** The state of a channel at one time. */
export interface ChannelState {
  readonly channel: string
  /** The reason why no part of the channel serves, such as `unreachable`. Undefined while any part is in rotation. */
  readonly downReason: string | undefined
}

function downIdentity(channel: string): string {
  return `channel-down:${channel}`
}

interface Since {
  readonly isDown: boolean
  readonly atMs: number
}

/**
 * Tracks channels that are down. An alert opens after nothing of a channel has served for the time in the rule, and
 * ends after the channel has served again for the same time. A channel that flaps therefore opens one alert.
 */
export class DownChannels {
  readonly #since = new Map<string, Since>()

  judge(
    rule: DownRule,
    {
      states,
      isOpen,
    }: { readonly states: readonly ChannelState[]; readonly isOpen: (identity: string) => boolean },
    nowMs: number,
  ): { readonly conditions: readonly Condition[]; readonly ends: ReadonlyMap<string, AlertEnd> } {
    const conditions: Condition[] = []
    const ends = new Map<string, AlertEnd>()
    for (const { channel, downReason } of states) {
      const isDown = downReason !== undefined
      const known = this.#since.get(channel)
      const since = known?.isDown === isDown ? known : { isDown, atMs: nowMs }
      this.#since.set(channel, since)
      const isLong = nowMs - since.atMs >= rule.forMs
      const identity = downIdentity(channel)
      if (isDown && matchesAny(rule.channels, channel) && (isLong || isOpen(identity)))
        conditions.push(downCondition(rule, channel, downReason))
      else if (!isDown && isLong && isOpen(identity))
        ends.set(identity, { as: 'recovered', message: `channel ${channel} serves again` })
    }
    const names = new Set(states.map(({ channel }) => channel))
    for (const channel of this.#since.keys()) if (!names.has(channel)) this.#since.delete(channel)
    return { conditions, ends }
  }
}

function downCondition(rule: DownRule, channel: string, reason: string): Condition {
  return {
    identity: downIdentity(channel),
    kind: 'channel-down',
    rule: rule.name,
    level: 1,
    severity: rule.severity ?? 'critical',
    subject: { channel },
    message: `channel ${channel} is down: nothing of it is in rotation (${reason})`,
    advice: `It is probed and comes back by itself; "headgate health --channels" says more, and "headgate health --reset ${channel}" puts it back into rotation at once.`,
    details: { channel, scope: 'channel', credential: null, upstream_model: null, reason, operations: null },
  }
}
