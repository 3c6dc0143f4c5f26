// Starts the gateway as bench/headgate.ts does, and samples its main thread between two signals: SIGUSR2 begins a
// profile, and the next SIGUSR2 ends it. The profile goes to the file that the second argument names. It is one of
// processor time, or with `memory` as the third argument one of what is allocated, collected objects included.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { openApp } from '../src/app/app.ts'
import { loadConfig, systemLoadInput } from '../src/config/load-config.ts'

const [configPath, profilePath = 'headgate.profile', kind = 'time'] = process.argv.slice(2)
const SAMPLE_EVERY_US = 100
const SAMPLE_EVERY_BYTES = 2_048

const config = await loadConfig(systemLoadInput({ config: configPath }))
const printError = (line: string) => void process.stderr.write(`${line}\n`)
const app = await openApp({ config, version: 'bench', printError })
const session = new Session()
session.connect()
if (kind === 'time') {
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
}
process.stdout.write(`${app.address.port}\n`)
process.once('SIGTERM', () => void app.close(1_000).then(() => process.exit(0)))

let isSampling = false
process.on('SIGUSR2', () => {
  isSampling = !isSampling
  void (isSampling ? beginProfile() : writeProfile())
})

async function beginProfile(): Promise<void> {
  if (kind === 'time') return session.post('Profiler.start')
  return session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_EVERY_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
}

async function writeProfile(): Promise<void> {
  const ended =
    kind === 'time' ? await session.post('Profiler.stop') : await session.post('HeapProfiler.stopSampling')
  writeFileSync(profilePath, JSON.stringify(ended.profile))
}
