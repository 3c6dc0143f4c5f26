// 200 changes of the configuration, by turns through the admin API and by SIGHUP, under load and with live streams.
import { swapConfigurations } from '../support/swap-configurations.ts'

const { swaps, requests, channels, failures, liveStreams, cutStreams } = await swapConfigurations({
  swaps: 200,
  callers: 8,
  streams: 40,
})
process.stdout.write(
  `configuration swaps: ${swaps}, answered by ${channels} channels; requests failed ${failures.length} of ${requests}; live streams cut ${cutStreams.length} of ${liveStreams}\n`,
)
for (const reason of new Set([...failures, ...cutStreams])) process.stdout.write(`  ${reason}\n`)
if (failures.length + cutStreams.length > 0 || requests === 0) process.exitCode = 1
