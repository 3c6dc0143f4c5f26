import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/kit/time/clock.ts'
import type { ReadyScript } from '../../../tools/chaos/ready/ready-script.ts'
import { type FaultUpstream, openFaultUpstream } from '../../../tools/chaos/upstream/open-fault-upstream.ts'
import { channelYaml } from '../channel-yaml.ts'
import { type StartedGateway, startGateway } from '../start-gateway.ts'
import type { FaultCase } from './list-fault-cases.ts'

export interface FaultBench extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** The upstream that fails. */
  readonly upstream: FaultUpstream
  /** The one that does not. */
  readonly spare: FaultUpstream
}

const shortTimes =
  'timeouts: { connect: 1s, tls: 500ms, headers: 1s, first_content: 1s, idle: 1s, progress: 1s, total: 2500ms }'

/** The gateway with channels of its own for every case, so that none is shut by what another saw. */
export async function openFaultBench(ready: ReadyScript, cases: readonly FaultCase[]): Promise<FaultBench> {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openFaultUpstream({ clock: systemClock, seed: 7, script: { ...ready.script } }),
  )
  await upstream.idle()
  const spare = cleanup.use(await openFaultUpstream({ clock: systemClock, seed: 7 }))
  const folder = mkdtempSync(join(tmpdir(), 'headgate-faults-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const trust = upstream.authority === undefined ? [] : [`ca_file: ${join(folder, 'root.pem')}`]
  if (upstream.authority !== undefined) writeFileSync(join(folder, 'root.pem'), upstream.authority)
  const origin = ready.origin ?? upstream.origin.replace('127.0.0.1', 'localhost')
  const channels = cases.flatMap(({ model, channel, hasSpare, isTimed }) => {
    const more = ['priority: 2', ...(isTimed ? [shortTimes] : []), ...trust].join('\n    ')
    const failing = { name: `${model}-1`, format: channel, origin, models: [model], more }
    const well = { name: `${model}-2`, format: channel, origin: spare.origin, models: [model] }
    return hasSpare ? [failing, well] : [failing]
  })
  const gateway = cleanup.use(
    await startGateway(`${channelYaml(...channels)}retry: { same_target: 0 }\nqueue: off\n`),
  )
  const open = cleanup.move()
  return { gateway, upstream, spare, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
