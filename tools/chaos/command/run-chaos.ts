import { OperatorError } from '../../../src/canonical/operator-error.ts'
import type { ListenAddress } from '../../../src/kit/net/listen-address-schema.ts'
import type { Clock } from '../../../src/kit/time/clock.ts'
import { openFaultProxy } from '../proxy/open-fault-proxy.ts'
import type { SeenConnection } from '../proxy/proxy-traffic.ts'
import type { ReadyScript } from '../ready/ready-script.ts'
import { readyScripts } from '../ready/ready-scripts.ts'
import { proxyScriptSchema } from '../script/proxy-script-schema.ts'
import { type UpstreamScriptInput, upstreamScriptSchema } from '../script/script-schema.ts'
import { openFaultUpstream } from '../upstream/open-fault-upstream.ts'
import type { SeenRequest } from '../upstream/upstream-traffic.ts'
import { listFaultActions } from './list-fault-actions.ts'
import { readScript } from './read-script.ts'

export interface UpstreamCommand {
  /** The path of a script. */
  readonly script?: string
  /** The name of a ready-made script. */
  readonly fault?: string
  readonly seed: number
  readonly listen: ListenAddress
}

export interface ProxyCommand {
  readonly to: ListenAddress
  /** The path of a script. */
  readonly script?: string
  readonly seed: number
  readonly listen: ListenAddress
}

export interface ChaosProcess {
  readonly io: { write(text: string): void; writeError(text: string): void }
  readonly clock: Clock
  /** Fulfilled when the process is asked to end. */
  untilEnd(): Promise<void>
}

export async function runUpstream(command: UpstreamCommand, process: ChaosProcess): Promise<void> {
  const { seed, listen, fault } = command
  const { io, clock, untilEnd } = process
  const upstream = await openFaultUpstream({
    clock,
    seed,
    script: chooseScript(command),
    listen,
    onRequest: (request) => void request.ended.then(() => io.write(`${describeRequest(request)}\n`)),
  })
  io.writeError(`headgate: fault upstream on ${upstream.origin}, seed ${seed}\n`)
  if (upstream.authority !== undefined) io.write(upstream.authority)
  const origin = fault === undefined ? undefined : findReady(fault).origin
  if (origin !== undefined) io.writeError(`headgate: this fault is in the address; connect to ${origin}\n`)
  await untilEnd()
  await upstream.close()
}

export async function runProxy(command: ProxyCommand, process: ChaosProcess): Promise<void> {
  const { to, seed, script, listen } = command
  const { io, clock, untilEnd } = process
  const proxy = await openFaultProxy({
    clock,
    seed,
    to,
    script: script === undefined ? {} : readScript(script, proxyScriptSchema),
    listen,
    onConnection: (connection) => io.write(`${describeConnection(connection)}\n`),
  })
  io.writeError(`headgate: fault proxy on ${proxy.address} to ${to.host}:${to.port}, seed ${seed}\n`)
  await untilEnd()
  await proxy.close()
}

/** Every action of a script and every ready-made script, a line each. */
export function writeList(): string {
  const names = readyScripts.map(({ name, description, phase, forms, formats }) => {
    const where = `${phase}; ${forms.join(', ')}; ${formats.join(', ')}`
    return `  ${name.padEnd(26)} ${description} (${where})`
  })
  const lines = ['Actions of a script:', '', ...listFaultActions(), '', 'Ready-made scripts:', '', ...names]
  return `${lines.join('\n')}\n`
}

/** A ready-made script as JSON. Throws for an unknown name. */
export function writeReadyScript(name: string): string {
  return `${JSON.stringify(findReady(name).script, null, 2)}\n`
}

function chooseScript({ script, fault }: UpstreamCommand): UpstreamScriptInput {
  if (script !== undefined && fault !== undefined)
    throw new OperatorError('option_invalid', 'there are two scripts', {
      advice: 'give --script or --fault, not both',
    })
  if (script !== undefined) return readScript(script, upstreamScriptSchema)
  return fault === undefined ? {} : findReady(fault).script
}

function findReady(name: string): ReadyScript {
  const ready = readyScripts.find((each) => each.name === name)
  if (ready !== undefined) return ready
  throw new OperatorError('option_invalid', `there is no ready-made script "${name}"`, {
    advice: '"headgate chaos list" shows them',
  })
}

function describeRequest(request: SeenRequest): string {
  const { number, connection, atMs, method, path, model, rule, outcome, bytesSent, endedAtMs } = request
  const tookMs = Math.round((endedAtMs ?? atMs) - atMs)
  const fault = rule === undefined ? 'no rule' : `rule ${rule + 1}`
  return `${number} ${method} ${path} ${model ?? '-'} connection ${connection}, ${fault}: ${outcome}, ${bytesSent} bytes in ${tookMs} ms`
}

function describeConnection({ number, atMs }: SeenConnection): string {
  return `connection ${number} at ${Math.round(atMs)} ms`
}
