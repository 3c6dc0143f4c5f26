import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FormatId } from '../../src/canonical/format.ts'
import type { AgentTask } from '../support/agent/agent-script.ts'
import type { AgentFormat } from '../support/agent/speech.ts'
import { type AgentFault, type AgentUpstream, openAgentUpstream } from '../support/agent-upstream.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { prepareFolders } from './case-folders.ts'
import { checkHangUp, checkRefusal, checkTask, checkTaskOrFailure } from './check-case.ts'
import type { Client, ClientJob, ClientOutcome } from './client.ts'
import type { Scenario } from './scenario.ts'

export interface ClientCase {
  readonly client: Client
  readonly callerFormat: FormatId
  readonly channelFormat: AgentFormat
  readonly packages: string
  readonly scenario: Scenario
}

export interface CaseOutcome {
  readonly problems: readonly string[]
  /** Requests that the upstream got. */
  readonly rounds: number
  readonly durationMs: number
}

const model = 'agent-model'

const faults: Readonly<Record<Scenario, AgentFault>> = {
  task: 'none',
  cut: 'first-stream-cut',
  'wrong key': 'none',
  abort: 'first-stream-hangs',
}

/** Lets one client do its work through a gateway whose only channel speaks one format, and looks at the results. */
export async function runCase(clientCase: ClientCase): Promise<CaseOutcome> {
  const { callerFormat, channelFormat, packages, scenario } = clientCase
  const root = mkdtempSync(join(tmpdir(), 'headgate-client-'))
  try {
    const { workspace, home, task } = prepareFolders(root)
    await using upstream = await openAgentUpstream(channelFormat, task, faults[scenario])
    await using gateway = await startGateway(
      channelYaml({ format: channelFormat, origin: upstream.origin, models: [model] }) +
        'retry: { attempts: 1 }\n',
    )
    const startedAtMs = performance.now()
    const problems = await play(
      clientCase,
      { upstream, task },
      {
        format: callerFormat,
        gatewayUrl: gateway.url,
        key: scenario === 'wrong key' ? 'sk-unknown-0123456789' : testKey,
        model,
        prompt: `Read ${task.read.join(' and ')}, then write ${task.write}.`,
        workspace,
        home,
        packages,
      },
    )
    return { problems, rounds: upstream.exchanges.length, durationMs: performance.now() - startedAtMs }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function play(
  { client, scenario }: ClientCase,
  { upstream, task }: { readonly upstream: AgentUpstream; readonly task: AgentTask },
  job: Omit<ClientJob, 'signal'>,
): Promise<readonly string[]> {
  const killer = new AbortController()
  const running = client.run({ ...job, signal: killer.signal })
  if (scenario === 'abort') return playAbort(upstream, running, killer)
  const seen = { outcome: await running, exchanges: upstream.exchanges, task }
  if (scenario === 'task') return checkTask(seen)
  return scenario === 'cut' ? checkTaskOrFailure(seen) : checkRefusal(seen)
}

async function playAbort(
  upstream: AgentUpstream,
  running: Promise<ClientOutcome>,
  killer: AbortController,
): Promise<readonly string[]> {
  const early = await Promise.race([upstream.stopped.then(() => undefined), running])
  if (early !== undefined) return [...early.problems, `ended before it could be killed: ${early.shown}`]
  const killedAtMs = performance.now()
  killer.abort()
  const problems = await checkHangUp(upstream.stopped, killedAtMs)
  await running
  return problems
}
