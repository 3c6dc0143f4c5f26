import { GatewayError } from '../../canonical/failure.ts'
import type { UploadedForm } from '../../canonical/uploads/uploaded-form.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { DeadlineWatch, Watched } from '../../pipeline/response/deadline-watch.ts'
import type { SpooledFiles } from '../../uploads/open-spool.ts'
import { readUploadedBytes } from '../../uploads/read-bytes.ts'
import { type FormReading, type ReadFormInput, readForm } from '../../uploads/read-form.ts'
import type { BodyHold } from './body-budget.ts'
import { BodyPace, reserveCapacity, tooLarge, type UnbufferedRequest } from './read-body.ts'

export interface ReceiveFormInput {
  readonly maxBytes: number
  /** The hold that reserves room for the form, in memory or on disk. It is released at the end of the request. */
  readonly hold: BodyHold
  readonly files: SpooledFiles
  readonly needsDigest: boolean
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Asks the caller for the body, if the caller waits for `100 Continue`. */
  readonly ask: (() => void) | undefined
}

/** Whether this is the content type of a form. The bytes of a form need not be UTF-8. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)
}

/** Receives a form as it arrives, up to a maximum size and time. Rejects with `GatewayError`. */
export function receiveForm(message: UnbufferedRequest, input: ReceiveFormInput): Promise<UploadedForm> {
  const { headers } = message
  const { files, needsDigest } = input
  return receive(message, input, (judge) => readForm(message, { headers, files, needsDigest, judge }))
}

/** Receives a body of any bytes as the only file of a form. The limits and errors are those of `receiveForm`. */
export function receiveBytes(message: UnbufferedRequest, input: ReceiveFormInput): Promise<UploadedForm> {
  return receive(message, input, (judge) => readUploadedBytes(message, { files: input.files, judge }))
}

async function receive(
  message: UnbufferedRequest,
  { maxBytes, hold, watch, clock, ask }: ReceiveFormInput,
  open: (judge: ReadFormInput['judge']) => FormReading,
): Promise<UploadedForm> {
  const announced = Number(message.headers['content-length'] ?? 0)
  const fault = announced > maxBytes ? tooLarge(maxBytes, 'limits.upload') : reserveCapacity(hold, announced)
  if (fault !== undefined) throw fault
  const isAnnounced = message.headers['content-length'] !== undefined
  const reading = open((bytesSoFar, moreBytes) => {
    if (bytesSoFar + moreBytes > maxBytes) return tooLarge(maxBytes, 'limits.upload')
    return isAnnounced ? undefined : reserveCapacity(hold, moreBytes)
  })
  const entry = watch.add(new FormPace(reading, clock))
  ask?.()
  try {
    return await reading.form
  } finally {
    watch.remove(entry)
  }
}

/** Ends a form that arrives too slowly. */
class FormPace implements Watched {
  readonly #reading: FormReading
  readonly #pace: BodyPace

  constructor(reading: FormReading, clock: Clock) {
    this.#reading = reading
    this.#pace = new BodyPace(clock.monotonicMs())
  }

  look(nowMs: number): void {
    if (!this.#pace.keepsUp(nowMs, this.#reading.bytes))
      this.#reading.fail(new GatewayError('request_timeout'))
  }

  onError(error: unknown): void {
    this.#reading.fail(error)
  }
}
