// Fills the port of the playground: a chat completion goes through the pipeline as a caller's would.
import { describeInternalCaller } from '../../access/internal-caller.ts'
import type { SendPlaygroundRequest } from '../../admin/playground/send-request.ts'
import { callerFormats } from '../formats.ts'
import { type InternalSender, sendInternally } from './send-internally.ts'
import { StreamingSink } from './streaming-sink.ts'

export function createPlaygroundSender(sender: InternalSender): SendPlaygroundRequest {
  return async ({ body, channel, user, group, permission, address, signal }) => {
    const sink = new StreamingSink(signal)
    const sending = sendInternally(
      {
        caller: describeInternalCaller({ purpose: 'playground', user, group, permission }),
        body,
        address,
        path: '/admin/v1/playground/completions',
        format: callerFormats.chat,
        headers: { 'x-headgate-usage': 'cost' },
        pin: channel === undefined ? undefined : { channel, upstreamModel: undefined, isTrial: false },
      },
      sink,
      sender,
    )
    sending.catch((error: unknown) => sink.fail(error))
    const { status, headers } = await sink.head
    return { status, headers, bytes: sink }
  }
}
