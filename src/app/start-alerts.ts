// Reports problems that need a human: a line of the log, and a POST to the webhook if there is one.

import { ActiveAlerts, type DueAlert } from '../alerts/active-alerts.ts'
import { DEFAULT_ALERT_REPEAT_MS } from '../alerts/alert-schema.ts'
import { createAlertSender } from '../alerts/alert-sender.ts'
import { writeAlert } from '../alerts/write-alert.ts'
import type { Channel } from '../catalog/channel.ts'
import { isSameUpstreamOf } from '../catalog/is-same-upstream.ts'
import type { Config } from '../config/config.ts'
import { listSecrets } from '../config/secrets/list-secrets.ts'
import type { Clock } from '../kit/time/clock.ts'
import { describeHealth, type HealthChange } from '../telemetry/health-change.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { NoticeLog } from '../telemetry/notice-log.ts'
import { createRedactor } from '../telemetry/redact.ts'
import { openUpstream } from '../upstream/open-upstream.ts'
import { postJson } from '../upstream/post-json.ts'

export interface Alerts {
  healthChanged(note: HealthChange): void
  /** What is known of a channel was forgotten by an operator. */
  healthReset(channelName: string): void
  change(config: Config): void
}

export interface AlertsParts {
  readonly config: Config
  readonly notices: NoticeLog
  readonly metrics: Metrics
  readonly clock: Clock
}

const CONNECT_TIMEOUT_MS = 5_000

export function startAlerts(
  { config, notices, metrics, clock }: AlertsParts,
  cleanup: AsyncDisposableStack,
): Alerts {
  let policy = config.alerts
  let channels = byName(config.channels)
  const redactor = createRedactor(listSecrets(config))
  // Its own pools, so that no alert stands in the way of a request.
  const upstream = openUpstream()
  cleanup.defer(() => upstream.close())
  const sender = createAlertSender({
    clock,
    count: metrics.alertEnded,
    warn: (message) => notices.warn(redactor.redact(message)),
    post: ({ webhook, headers, allowPrivate }, body, signal) =>
      postJson(
        upstream,
        { url: webhook, headers, body, connectTimeoutMs: CONNECT_TIMEOUT_MS, allowPrivate },
        signal,
      ),
  })
  cleanup.defer(() => sender.close())
  const book = new ActiveAlerts()

  function emit(note: HealthChange, due: DueAlert, nowMs: number) {
    const { line, body } = writeAlert(note, due, nowMs)
    const log = due.status === 'impaired' ? notices.error : notices.info
    log(redactor.redact(line))
    if (policy !== undefined) sender.send(policy, redactor.redact(body))
  }

  function forget(status: 'reset' | 'replaced', isForgotten: (note: HealthChange) => boolean) {
    for (const { note, sinceMs } of book.forget(isForgotten)) {
      emit(note, { status, sinceMs }, clock.nowMs())
    }
  }

  return {
    healthChanged(note) {
      const nowMs = clock.nowMs()
      const due = book.judge(note, nowMs, policy?.repeatMs ?? DEFAULT_ALERT_REPEAT_MS)
      if (due !== undefined) emit(note, due, nowMs)
      else if (note.to === 'open') notices.warn(describeHealth(note))
      else if (note.to === 'healthy') notices.info(describeHealth(note))
    },
    healthReset(channelName) {
      notices.info(`channel ${channelName}: its health was reset by an operator`)
      forget('reset', ({ channel }) => channel === channelName)
    },
    change(next) {
      policy = next.alerts
      const [before, now] = [channels, byName(next.channels)]
      forget('replaced', (note) => !isSameUpstreamOf(note, before.get(note.channel), now.get(note.channel)))
      channels = now
      for (const secret of listSecrets(next)) redactor.add(secret)
    },
  }
}

function byName(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  return new Map(channels.map((channel) => [channel.name, channel]))
}
