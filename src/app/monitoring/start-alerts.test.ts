import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { probeServer } from '../../config/discovery/probe-server.ts'
import { loadConfig } from '../../config/load-config.ts'
import { createGuardedClock } from '../../kit/time/clock.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import type { DiskState } from '../../telemetry/disk-guard.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { startAlerts } from './start-alerts.ts'

const JUDGE_EVERY_MS = 10_000
const ample: DiskState = { level: 'ample', space: { freeBytes: 2e9, totalBytes: 1e11 } }
const low: DiskState = { level: 'low', space: { freeBytes: 5e8, totalBytes: 1e11 } }
const doNothing = () => undefined

function readConfig(folder: string) {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, 'channels: [{ name: demo, provider: demo }]')
  return loadConfig({
    flags: { config: file },
    environment: {
      configPath: undefined,
      listen: undefined,
      dataFolder: undefined,
      databaseUrl: undefined,
      secret: undefined,
      adminToken: undefined,
      isRunByNpm: false,
      variables: {},
    },
    workingFolder: folder,
    registry: providerRegistry,
    probe: probeServer,
  })
}

it('after a check of alerts that failed, the next ones are made as usual', async () => {
  await using cleanup = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'headgate-alerts-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const keys = await openKeyStore(folder)
  cleanup.defer(() => keys.close())
  const faults: string[] = []
  const reportFault = (_source: string, error: unknown) => void faults.push(String(error))
  const refuseLine = () => {
    throw new Error('the log cannot be written')
  }
  const time = createFakeClock()
  const options = {
    config: await readConfig(folder),
    store: keys.alerts,
    notices: { info: doNothing, warn: refuseLine, error: refuseLine },
    metrics: createMetrics({ version: '1', node: '24', platform: 'linux-x64' }),
    clock: createGuardedClock(time, reportFault),
    reportFault,
  }
  const alerts = startAlerts(options, cleanup)
  await alerts.load()
  let disk = ample
  alerts.watch({
    channels: () => [],
    inRotation: () => new Set(),
    outOfRotation: () => [],
    keys: () => [],
    certificates: () => [],
    unpriced: () => [],
    budgetOf: () => 'gone',
    disk: () => disk,
  })
  disk = low
  time.advance(JUDGE_EVERY_MS)
  expect(faults).toEqual(['Error: the log cannot be written'])
  expect(alerts.open.length).toBe(1)
  disk = ample
  time.advance(JUDGE_EVERY_MS)
  expect(alerts.open).toEqual([])
})
