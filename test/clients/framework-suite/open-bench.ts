import type { AgentFormat } from '../../support/agent/speech.ts'
import { channelYaml } from '../../support/channel-yaml.ts'
import { startGateway, testKey } from '../../support/start-gateway.ts'
import type { Connection, Framework } from '../frameworks/framework.ts'
import type { Bench } from './framework-scenario.ts'
import { openStrictUpstream, type Play } from './strict-upstream.ts'

/** The names that the documents use. */
const models = ['demo-chat', 'demo-embed']

/** A gateway that tries once, so that what a client sees is what the upstream did. */
export async function openBench(framework: Framework, format: AgentFormat, play: Play): Promise<Bench> {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openStrictUpstream(format, play))
  const channels = channelYaml({ format, origin: upstream.server.origin, models })
  const gateway = cleanup.use(await startGateway(`${channels}retry: { attempts: 1 }\n`))
  const usual: Connection = { gatewayUrl: gateway.url, key: testKey, model: 'demo-chat' }
  const open = cleanup.move()
  return {
    client: framework.connect(usual),
    upstream,
    gateway,
    connect: (other) => framework.connect({ ...usual, ...other }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
