import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FormatId } from '../../src/canonical/format.ts'
import { type AgentTask, markPayload, writtenContent } from '../support/agent/agent-script.ts'
import { type AgentExchange, type AgentFault, openAgentUpstream } from '../support/agent-upstream.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import type { Client, ClientUsage } from './client.ts'

export interface ClientCase {
  readonly client: Client
  readonly callerFormat: FormatId
  readonly channelFormat: FormatId
  readonly packages: string
  readonly fault: AgentFault
}

export interface CaseOutcome {
  readonly problems: readonly string[]
  /** Requests that the upstream got. */
  readonly rounds: number
  readonly durationMs: number
}

const model = 'agent-model'
/** Texts that break where somebody escapes, splits or recodes wrongly. */
const payloads = [
  'first: "quoted" back\\slash \\n \u00fcn\u00efc\u00f6d\u00e9 \u6f22\u5b57 \u{1f680} </tag> $(x)',
  `second: 'single' {"json":[1,2]} data: [DONE] soft\u00adhyphen e\u0301 \u{1f468}\u200d\u{1f469}\u200d\u{1f467}`,
]

/** Lets one client do its work through a gateway whose only channel speaks one format, and looks at the results. */
export async function runCase({
  client,
  callerFormat,
  channelFormat,
  packages,
  fault,
}: ClientCase): Promise<CaseOutcome> {
  const root = mkdtempSync(join(tmpdir(), 'headgate-client-'))
  try {
    const { workspace, home, task } = prepareFolders(root)
    await using upstream = await openAgentUpstream(channelFormat, task, fault)
    await using gateway = await startGateway(
      channelYaml({ format: channelFormat, origin: upstream.origin, models: [model] }) +
        'retry: { attempts: 1 }\n',
    )
    const startedAtMs = performance.now()
    const outcome = await client.run({
      format: callerFormat,
      gatewayUrl: gateway.url,
      key: testKey,
      model,
      prompt: `Read ${task.read.join(' and ')}, then write ${task.write}.`,
      workspace,
      home,
      packages,
    })
    return {
      problems: [
        ...outcome.problems,
        ...checkFile(task.write),
        ...checkExchanges(upstream.exchanges, fault),
        ...(fault === 'none' ? checkUsage(outcome.usage, upstream.exchanges) : []),
      ],
      rounds: upstream.exchanges.length,
      durationMs: performance.now() - startedAtMs,
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function prepareFolders(root: string) {
  const workspace = join(root, 'workspace')
  const home = join(root, 'home')
  mkdirSync(workspace)
  mkdirSync(home)
  const read = payloads.map((payload, index) => {
    const path = join(workspace, `source-${index + 1}.txt`)
    writeFileSync(path, markPayload(payload))
    return path
  })
  const task: AgentTask = { read, write: join(workspace, 'result.txt') }
  return { workspace, home, task }
}

function checkFile(path: string): readonly string[] {
  const expected = Buffer.from(writtenContent(payloads))
  try {
    const written = readFileSync(path)
    return written.equals(expected)
      ? []
      : [`wrote other bytes than were read: ${JSON.stringify(written.toString())}`]
  } catch {
    return ['did not write the third file']
  }
}

function checkExchanges(exchanges: readonly AgentExchange[], fault: AgentFault): readonly string[] {
  const refused = exchanges
    .filter(({ status }) => status !== 200)
    .map(({ status, refusal }) => `the upstream refused a request with ${status}: ${refusal}`)
  const agentTurns = exchanges.flatMap(({ conversation }) =>
    conversation !== undefined && conversation.tools.length > 0 ? [conversation] : [],
  )
  const resultCounts = agentTurns.map(({ rounds }) => rounds.map(({ results }) => results.length).join('+'))
  // An answer that broke is asked for again with nothing of it in the conversation.
  const wanted = fault === 'none' ? ['', '2', '2+1'] : ['', '', '2', '2+1']
  const isAsWanted = resultCounts.join() === wanted.join()
  return isAsWanted ? refused : [...refused, `tool results by round were ${JSON.stringify(resultCounts)}`]
}

/** What the client counts must be what the upstream said, class by class. */
function checkUsage(
  reported: ClientUsage | undefined,
  exchanges: readonly AgentExchange[],
): readonly string[] {
  if (reported === undefined) return []
  const classes = ['freshInput', 'cacheRead', 'cacheWrite', 'output'] as const
  return classes.flatMap((name) => {
    const sent = exchanges.reduce((sum, { usage }) => sum + (usage?.[name] ?? 0), 0)
    return sent === reported[name]
      ? []
      : [`reports ${reported[name]} tokens of ${name}, the upstream sent ${sent}`]
  })
}
