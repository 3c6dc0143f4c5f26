import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'
import { type TestDatabase, useDatabase } from './open-stores.ts'

const secret = 'node-secret-0123456789abcdef'
const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 }
const head = { id: 'c1', object: 'chat.completion', created: 1, model: 'm' }
const message = { role: 'assistant', content: 'Hi.' }
const answer = jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })

type NodeEnvironment = Parameters<typeof startGateway>[2]

/** One database for all tests of a file, and nodes on it for each, whose channel `one` serves the model `m`. */
export function useNodes() {
  const shared = useDatabase()

  async function openNode(
    yaml: string,
    environment: NodeEnvironment = {},
    folder = mkdtempSync(join(tmpdir(), 'headgate-node-')),
  ): Promise<StartedGateway> {
    const node = await startGateway(yaml, folder, { databaseUrl: shared.current.url, secret, ...environment })
    onTestFinished(async () => {
      await node[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })
    return node
  }

  async function openNodes(more = '', count = 2) {
    await shared.current.empty()
    const upstream = await openScriptedUpstream(() => answer)
    onTestFinished(() => upstream[Symbol.asyncDispose]())
    const yaml = channelYaml({ name: 'one', format: 'chat', origin: upstream.origin, models: ['m'] }) + more
    const nodes: StartedGateway[] = []
    for (let index = 0; index < count; index += 1) nodes.push(await openNode(yaml))
    return { nodes, yaml, upstream }
  }

  return { openNode, openNodes, database: (): TestDatabase => shared.current }
}

interface NodeCall {
  readonly model?: string
  readonly maxTokens?: number
  /** The end user for whom the call is made. */
  readonly user?: string
}

/** Asks a model of a node, `m` unless given, for one answer. */
export function callNode(
  node: StartedGateway | undefined,
  key: string,
  { model = 'm', maxTokens = 20, user }: NodeCall = {},
): Promise<Response> {
  return fetch(`${node?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: maxTokens, user, messages: [{ role: 'user', content: '' }] }),
  })
}
