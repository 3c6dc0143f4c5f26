import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentFormat } from '../../support/agent/speech.ts'
import { openAgentUpstream } from '../../support/agent-upstream.ts'
import { testKey } from '../../support/start-gateway.ts'
import { prepareFolders } from '../case-folders.ts'
import { checkShown, checkTask } from '../check-case.ts'
import { claudeCode } from '../claude-code.ts'
import type { Client } from '../client.ts'
import { codex } from '../codex.ts'
import { failureOf } from '../framework-suite/failure-of.ts'
import { installFrameworks, loadFramework } from '../framework-suite/load-framework.ts'
import { openStrictUpstream } from '../framework-suite/strict-upstream.ts'
import type { FrameworkName } from '../frameworks/framework-names.ts'
import { installClient } from '../install-client.ts'
import {
  type LimitName,
  limitedModel,
  limitTerms,
  openLimitedGateway,
  type SeenRequest,
} from './limited-gateway.ts'

// The behaviour of clients at our limits: whether they say so once, how often they ask, and whether they wait as long
// as asked.

export interface LimitResult {
  readonly row: string
  readonly channel: string
  readonly scenario: LimitName
  readonly problems: readonly string[]
  readonly requests: readonly SeenRequest[]
  readonly durationMs: number
  /** Whether what was asked for was done in the end. */
  readonly isDone: boolean
}

interface LimitCase {
  readonly row: string
  readonly channel: AgentFormat
  readonly limit: LimitName
  /** The words by which it says that a budget is spent. */
  readonly words: string
}

const limitNames = Object.keys(limitTerms) as readonly LimitName[]
const SPENT = 'The budget "key:test/day" is spent.'
/** Codex goes by the error's code and uses words of its own. */
const SPENT_BY_CODEX = 'Quota exceeded. Check your plan and billing details.'
/** A client that asks more often ignores what it was asked. The AI SDK knows a spent budget by its status alone. */
const MAX_REQUESTS = { 'spent budget': 3, 'rate limit': 6, 'rate limit that waits': 4 } as const

const agents: readonly (readonly [Client, AgentFormat])[] = [
  [claudeCode, 'messages'],
  [codex, 'chat'],
]
const libraries: readonly (readonly [FrameworkName, AgentFormat])[] = [
  ['openai', 'chat'],
  ['anthropic', 'messages'],
  ['ai-sdk-openai', 'chat'],
  ['ai-sdk-openai-compatible', 'chat'],
  ['ai-sdk-anthropic', 'messages'],
]

export async function runLimits(report: (result: LimitResult) => void): Promise<readonly LimitResult[]> {
  const results: LimitResult[] = []
  const add = (result: LimitResult) => {
    results.push(result)
    report(result)
  }
  await installFrameworks()
  for (const [name, channel] of libraries)
    for (const limit of limitNames) add(await runLibrary({ row: name, channel, limit, words: SPENT }, name))
  for (const [client, channel] of agents) {
    const packages = await installClient(client.name)
    const words = client.name === 'codex' ? SPENT_BY_CODEX : SPENT
    for (const limit of limitNames)
      add(await runAgent({ row: client.name, channel, limit, words }, { client, packages }))
  }
  return results
}

/** Asks twice, so that the second comes too early where the rate is limited. */
async function runLibrary(limitCase: LimitCase, name: FrameworkName): Promise<LimitResult> {
  const { channel, limit, words } = limitCase
  await using upstream = await openStrictUpstream(channel, () => ({ text: 'Well.' }))
  await using gateway = await openLimitedGateway({ limit, format: channel, origin: upstream.server.origin })
  const client = (await loadFramework(name)).connect({
    gatewayUrl: gateway.url,
    key: testKey,
    model: limitedModel,
  })
  const startedAtMs = performance.now()
  if (limit === 'spent budget') {
    const failure = await failureOf(client.ask('Hello'))
    const durationMs = performance.now() - startedAtMs
    const requests = await gateway.readRequests()
    const problems = [
      ...(failure.status === 429 ? [] : [`failed with status ${failure.status}`]),
      ...checkShown({ shown: failure.words }, words),
      ...checkRequests(limit, requests),
    ]
    return { ...limitCase, scenario: limit, problems, requests, durationMs, isDone: false }
  }
  const texts = [(await client.ask('Hello')).text, (await client.ask('Hello')).text]
  const durationMs = performance.now() - startedAtMs
  const requests = await gateway.readRequests()
  const problems = [
    ...(texts.join() === 'Well.,Well.' ? [] : [`answered ${texts.join()}`]),
    ...checkRequests(limit, requests),
  ]
  return { ...limitCase, scenario: limit, problems, requests, durationMs, isDone: true }
}

interface AgentParts {
  readonly client: Client
  readonly packages: string
}

async function runAgent(limitCase: LimitCase, { client, packages }: AgentParts): Promise<LimitResult> {
  const { channel, limit, words } = limitCase
  const root = mkdtempSync(join(tmpdir(), 'headgate-client-'))
  try {
    const { workspace, home, task } = prepareFolders(root)
    await using upstream = await openAgentUpstream(channel, task, 'none')
    await using gateway = await openLimitedGateway({ limit, format: channel, origin: upstream.origin })
    const startedAtMs = performance.now()
    const outcome = await client.run({
      format: channel,
      gatewayUrl: gateway.url,
      key: testKey,
      model: limitedModel,
      workspace,
      home,
      packages,
      prompt: `Read ${task.read.join(' and ')}, then write ${task.write}.`,
      signal: new AbortController().signal,
    })
    const durationMs = performance.now() - startedAtMs
    const requests = await gateway.readRequests()
    const done = checkTask({ outcome, exchanges: upstream.exchanges, task })
    const failed = [
      ...(outcome.problems.length > 0 ? [] : ['ended as if all were well']),
      ...checkShown(outcome, words),
    ]
    const problems = [...(limit === 'spent budget' ? failed : done), ...checkRequests(limit, requests)]
    return { ...limitCase, scenario: limit, problems, requests, durationMs, isDone: done.length === 0 }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function checkRequests(limit: LimitName, requests: readonly SeenRequest[]): readonly string[] {
  const max = MAX_REQUESTS[limit]
  if (requests.length <= max) return []
  return [`asked ${requests.length} times, where ${max} are enough`]
}

/** Describes how often it asked and was refused, and how long it waited after each refusal. */
export function describeRequests({ requests, durationMs, isDone }: LimitResult): string {
  const refused = requests.filter(({ status }) => status === 429).length
  const waits = requests.flatMap(({ status, startedAtMs }, index) => {
    const next = requests[index + 1]
    return status === 429 && next !== undefined
      ? [`${((next.startedAtMs - startedAtMs) / 1_000).toFixed(1)} s`]
      : []
  })
  const waited = waits.length === 0 ? '' : `, waited ${waits.join(', ')}`
  const end = isDone ? 'done' : 'given up'
  return `${requests.length} requests, ${refused} refused${waited}, ${end} after ${(durationMs / 1_000).toFixed(1)} s`
}
