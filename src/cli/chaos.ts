import { type Command, InvalidArgumentError } from 'commander'
import { ConfigError } from '../config/config-error.ts'
import { type ListenAddress, listenAddressSchema } from '../kit/net/listen-address-schema.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import { reasonOf } from '../kit/values/reason-of.ts'
import { openFaultProxy } from '../simulator/faults/open-fault-proxy.ts'
import { openFaultUpstream } from '../simulator/faults/open-fault-upstream.ts'
import { proxyScriptSchema } from '../simulator/faults/proxy-script-schema.ts'
import type { SeenConnection } from '../simulator/faults/proxy-traffic.ts'
import type { ReadyScript } from '../simulator/faults/ready/ready-script.ts'
import { readyScripts } from '../simulator/faults/ready/ready-scripts.ts'
import { type UpstreamScriptInput, upstreamScriptSchema } from '../simulator/faults/script-schema.ts'
import type { SeenRequest } from '../simulator/faults/upstream-traffic.ts'
import { listFaultActions } from './list-fault-actions.ts'
import type { CommandIo } from './output/command-io.ts'
import { readChaosScript } from './read-chaos-script.ts'

export interface ChaosContext {
  readonly io: CommandIo
  /** The option of the whole command line. */
  listen(): string | undefined
  /** Fulfilled when the process shall end. */
  untilEnd(): Promise<void>
  readonly clock?: Clock
}

interface UpstreamOptions {
  readonly script?: string
  readonly fault?: string
  readonly seed: number
}

interface ProxyOptions {
  readonly to: ListenAddress
  readonly script?: string
  readonly seed: number
}

const UPSTREAM_LISTEN = '127.0.0.1:9100'
const PROXY_LISTEN = '127.0.0.1:9101'

/** Adds `headgate chaos …`: a provider and a network that fail as a script says. */
export function registerChaosCommand(program: Command, context: ChaosContext): void {
  const chaos = program.command('chaos').description('a test provider and a test network that fail by script')
  chaos
    .command('upstream')
    .description(`serve every format and fail by script (on ${UPSTREAM_LISTEN} unless --listen is given)`)
    .option('--script <file>', 'the faults, in YAML or JSON; without it nothing fails')
    .option('--fault <name>', 'a ready-made script; "headgate chaos list" shows them')
    .option('--seed <number>', 'the seed of every random choice', readSeed, 1)
    .action((options: UpstreamOptions) => attempt(context, () => runUpstream(options, context)))
  chaos
    .command('proxy')
    .description(`relay TCP and break it by script (on ${PROXY_LISTEN} unless --listen is given)`)
    .requiredOption('--to <host:port>', 'the address to relay to', readAddress)
    .option('--script <file>', 'the faults, in YAML or JSON; without it nothing fails')
    .option('--seed <number>', 'the seed of every random choice', readSeed, 1)
    .action((options: ProxyOptions) => attempt(context, () => runProxy(options, context)))
  chaos
    .command('list')
    .description('list what a script can do, and the ready-made scripts')
    .action(() => context.io.write(`${writeList()}\n`))
  chaos
    .command('show')
    .description('print a ready-made script as a starting point')
    .argument('<name>', 'such as F8-reset')
    .action((name: string) =>
      attempt(context, async () => {
        context.io.write(`${JSON.stringify(findReady(name).script, null, 2)}\n`)
      }),
    )
}

/** One line for what the operator can mend. */
async function attempt({ io }: ChaosContext, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    io.writeError(`${error instanceof ConfigError ? '' : 'headgate: '}${describeFailure(error)}\n`)
    io.setExitCode(1)
  }
}

function describeFailure(error: unknown): string {
  const isBusy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  if (!isBusy || !('port' in error)) return reasonOf(error)
  return `port ${String(error.port)} is in use by another program; choose another with --listen 127.0.0.1:PORT`
}

async function runUpstream(options: UpstreamOptions, context: ChaosContext): Promise<void> {
  const { io, clock = systemClock } = context
  const upstream = await openFaultUpstream({
    clock,
    seed: options.seed,
    script: chooseScript(options),
    listen: readAddress(context.listen() ?? UPSTREAM_LISTEN),
    onRequest: (request) => void request.ended.then(() => io.write(`${describeRequest(request)}\n`)),
  })
  io.writeError(`headgate: fault upstream on ${upstream.origin}, seed ${options.seed}\n`)
  if (upstream.authority !== undefined) io.write(upstream.authority)
  const origin = options.fault === undefined ? undefined : findReady(options.fault).origin
  if (origin !== undefined) io.writeError(`headgate: this fault lies in the address; connect to ${origin}\n`)
  await context.untilEnd()
  await upstream.close()
}

function chooseScript({ script, fault }: UpstreamOptions): UpstreamScriptInput {
  if (script !== undefined && fault !== undefined) throw new Error('give --script or --fault, not both')
  if (script !== undefined) return readChaosScript(script, upstreamScriptSchema)
  return fault === undefined ? {} : findReady(fault).script
}

function findReady(name: string): ReadyScript {
  const ready = readyScripts.find((each) => each.name === name)
  if (ready !== undefined) return ready
  throw new Error(`there is no ready-made script "${name}"; "headgate chaos list" shows them`)
}

async function runProxy(options: ProxyOptions, context: ChaosContext): Promise<void> {
  const { io, clock = systemClock } = context
  const { to, seed, script } = options
  const proxy = await openFaultProxy({
    clock,
    seed,
    to,
    script: script === undefined ? {} : readChaosScript(script, proxyScriptSchema),
    listen: readAddress(context.listen() ?? PROXY_LISTEN),
    onConnection: (connection) => io.write(`${describeConnection(connection)}\n`),
  })
  io.writeError(`headgate: fault proxy on ${proxy.address} to ${to.host}:${to.port}, seed ${seed}\n`)
  await context.untilEnd()
  await proxy.close()
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

function writeList(): string {
  const names = readyScripts.map(({ name, description, phase, forms, formats }) => {
    const where = `${phase}; ${forms.join(', ')}; ${formats.join(', ')}`
    return `  ${name.padEnd(26)} ${description} (${where})`
  })
  return ['What a script can do:', '', ...listFaultActions(), '', 'Ready-made scripts:', '', ...names].join(
    '\n',
  )
}

function readSeed(text: string): number {
  const seed = Number(text)
  if (!Number.isInteger(seed)) throw new InvalidArgumentError('must be a whole number')
  return seed
}

function readAddress(text: string): ListenAddress {
  const address = listenAddressSchema.safeParse(text)
  if (!address.success) throw new InvalidArgumentError(address.error.issues[0]?.message ?? 'is no address')
  return address.data
}
