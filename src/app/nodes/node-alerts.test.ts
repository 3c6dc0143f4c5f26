import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { calmSources } from '../../../test/support/alert-sources.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { nano } from '../../../test/support/ledger-row.ts'
import { noEnvironment } from '../../../test/support/no-environment.ts'
import { createRequestRow } from '../../../test/support/request-row.ts'
import { until } from '../../../test/support/until.ts'
import { readBudget } from '../../access/limits/budget-schema.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { probeServer } from '../../config/discovery/probe-server.ts'
import { loadConfig } from '../../config/load-config.ts'
import { brand } from '../../kit/brand.ts'
import type { BudgetId } from '../../metering/budget.ts'
import type { ReachedThreshold } from '../../metering/budgets/reached-threshold.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { startAlerts } from '../monitoring/start-alerts.ts'
import { NodeAlerts } from './node-alerts.ts'
import { createProcessBus } from './process-bus.ts'
import type { HeardEvent, SharedBus } from './shared-state.ts'

const LOOK_EVERY_MS = 1_000
const SEND_AFTER_MS = 1_000
const MAX_EVENT_CHARACTERS = 1024 ** 2
const doNothing = () => undefined

const reached: ReachedThreshold = {
  budget: {
    ...readBudget({ window: 'total', limit_usd: nano(1_000_000_000), warn_at: [50] }, undefined),
    id: brand<BudgetId>('team'),
    name: 'team',
    scope: { type: 'installation' },
  },
  tagValue: undefined,
  percent: 50,
  limit: nano(1_000_000_000),
  spent: nano(500_000_000),
  windowStartMs: 0,
  resetsAtMs: undefined,
}

/** The alerts of a node that decides as `isMine` says, and reads earlier events by `hearAgain`. */
async function openNodeAlerts(
  hearAgain: SharedBus['hearAgain'],
  isMine: () => boolean,
  cleanup: AsyncDisposableStack,
) {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-alerts-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, 'channels: [{ name: demo, provider: demo }]')
  const config = await loadConfig({
    flags: { config: file },
    environment: noEnvironment,
    workingFolder: folder,
    registry: providerRegistry,
    probe: probeServer,
  })
  const keys = await openKeyStore(folder)
  cleanup.defer(() => keys.close())
  const clock = createFakeClock()
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const notices = { info: doNothing, warn, error: doNothing }
  const metrics = createMetrics({ version: '1', node: '24', platform: 'linux-x64' })
  const store = keys.alerts
  const deciding = startAlerts({ config, store, notices, metrics, clock, reportFault: doNothing }, cleanup)
  const published: unknown[] = []
  const bus: SharedBus = { ...createProcessBus((_topic, value) => published.push(value)), hearAgain }
  const alerts = new NodeAlerts({ deciding, notices, store, clock, bus, work: { isMine, mayGoOn: isMine } })
  cleanup.defer(() => alerts.close())
  return { alerts, deciding, clock, warnings, published }
}

it('a node that takes over alerts while the database fails reads what it missed once it can, and reports it', async () => {
  await using cleanup = new AsyncDisposableStack()
  const reads: number[] = []
  const hearAgain = async (_topics: unknown, withinMs: number): Promise<readonly HeardEvent[]> => {
    reads.push(withinMs)
    if (reads.length <= 2) throw new GatewayError('store_unavailable', { logCause: 'no answer' })
    return [{ topic: 'budget-reached', value: reached, sentAtMs: 0 }]
  }
  let isMine = false
  const { alerts, deciding, clock, warnings } = await openNodeAlerts(hearAgain, () => isMine, cleanup)
  await alerts.load()
  alerts.watch(calmSources)
  isMine = true
  for (let checks = 1; checks <= 3; checks += 1) {
    const pending = clock.pendingTimers
    clock.advance(LOOK_EVERY_MS)
    await until('the check has ended', () => reads.length >= checks && clock.pendingTimers >= pending)
  }
  expect(deciding.open).toMatchObject([{ kind: 'budget', level: 50 }])
  // The time that the missed events go back grows with each failed read.
  expect(reads).toEqual([30_000, 31_000, 32_000])
  const [line, ...others] = warnings.filter((message) => message.startsWith('this node'))
  expect(line).toBe('this node could not begin to decide about alerts, and it is tried again: no answer')
  expect(others).toEqual([])
})

it('the requests of a node that does not decide are sent in events that are not too large to be sent', async () => {
  await using cleanup = new AsyncDisposableStack()
  const { alerts, clock, published } = await openNodeAlerts(
    async () => [],
    () => false,
    cleanup,
  )
  await alerts.load()
  const [attempt] = createRequestRow().attempts
  if (attempt === undefined) throw new Error('the row has no attempt')
  const failed = {
    ...attempt,
    upstreamModel: 'accounts/somebody/models/one-of-a-long-name',
    outcome: 'timeout',
  }
  const row = createRequestRow({ attempts: Array.from({ length: 8 }, () => failed) })
  for (let count = 0; count < 1_000; count += 1) alerts.requestEnded(row)
  clock.advance(SEND_AFTER_MS)
  expect(published.flat()).toHaveLength(1_000)
  const longest = Math.max(...published.map((value) => JSON.stringify(value).length))
  expect(longest).toBeLessThan(MAX_EVENT_CHARACTERS / 2)
})
