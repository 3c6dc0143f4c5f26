import type { Channel } from '../catalog/channel.ts'
import type { Clock } from '../kit/time/clock.ts'
import { providerRegistry } from '../providers/registry.ts'
import { openDemoUpstream } from '../simulator/demo-upstream.ts'

/** Gives the built-in provider's channels the address of a demo upstream that is started for the first of them. */
export function createDemoChannels(clock: Clock, cleanup: AsyncDisposableStack) {
  let demo: ReturnType<typeof openDemoUpstream> | undefined
  const isBuiltIn = ({ provider }: Channel) => providerRegistry.find(provider)?.builtIn === true

  async function open() {
    const opened = await openDemoUpstream({ clock })
    cleanup.defer(() => opened.close())
    return opened
  }

  return async (channels: readonly Channel[]): Promise<readonly Channel[]> => {
    if (!channels.some(isBuiltIn)) return channels
    demo ??= open()
    const { baseUrl } = await demo
    return channels.map((channel) =>
      isBuiltIn(channel) ? { ...channel, baseUrl, allowPrivate: true } : channel,
    )
  }
}
