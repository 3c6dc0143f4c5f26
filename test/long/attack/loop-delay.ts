// Loaded into the gateway's process ahead of it: on SIGUSR2 it collects garbage where --expose-gc is given, and writes
// the longest delay of the event loop since the last signal, in milliseconds, to the file that HEADGATE_LOOP_DELAY_FILE
// names.
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env['HEADGATE_LOOP_DELAY_FILE']
if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  process.on('SIGUSR2', () => {
    const longestMs = delays.max / 1e6
    globalThis.gc?.()
    writeFileSync(`${file}.new`, String(longestMs))
    renameSync(`${file}.new`, file)
    // The collection that was asked for is no stall of the gateway's own.
    setTimeout(() => delays.reset(), 20)
  })
}
