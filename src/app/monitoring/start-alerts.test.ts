import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ampleDisk, calmSources, lowDisk } from '../../../test/support/alert-sources.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { noEnvironment } from '../../../test/support/no-environment.ts'
import { probeServer } from '../../config/discovery/probe-server.ts'
import { loadConfig } from '../../config/load-config.ts'
import { createGuardedClock } from '../../kit/time/clock.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { startAlerts } from './start-alerts.ts'

const JUDGE_EVERY_MS = 10_000
const doNothing = () => undefined

function readConfig(folder: string) {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, 'channels: [{ name: demo, provider: demo }]')
  return loadConfig({
    flags: { config: file },
    environment: noEnvironment,
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
  let disk = ampleDisk
  alerts.watch({ ...calmSources, disk: () => disk })
  disk = lowDisk
  time.advance(JUDGE_EVERY_MS)
  expect(faults).toEqual(['Error: the log cannot be written'])
  expect(alerts.open.length).toBe(1)
  disk = ampleDisk
  time.advance(JUDGE_EVERY_MS)
  expect(alerts.open).toEqual([])
})
