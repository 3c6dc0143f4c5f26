// Fills the port through which a trial calls a channel that is not saved.
import type { ServeChannelApart } from '../../admin/certification/try-channel.ts'
import { redactListFault } from '../../catalog/list-fault.ts'
import type { RequestPipeline } from '../open-pipeline.ts'
import { createCallChannel } from './call-channel.ts'
import type { InternalSender } from './send-internally.ts'

export interface ServeApartOptions extends Pick<InternalSender, 'gate' | 'clock'> {
  readonly pipeline: Pick<RequestPipeline, 'serveApart' | 'providers'>
}

export function createServeChannelApart({ pipeline, gate, clock }: ServeApartOptions): ServeChannelApart {
  const { providers } = pipeline
  return async (config, channelName) => {
    const { serve, catalog, redact } = await pipeline.serveApart(config, channelName)
    const fault = catalog.listFaults().get(channelName)
    return {
      catalog: catalog.current(),
      listFault: fault && redactListFault(fault, redact),
      call: createCallChannel({ serve, catalog, providers, redact, gate, clock, pathOf: () => TRIALS }),
      redact,
      [Symbol.dispose]: () => catalog.close(),
    }
  }
}

const TRIALS = '/admin/v1/channel-trials'
