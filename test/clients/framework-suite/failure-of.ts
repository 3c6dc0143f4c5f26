import { type ClientError, readClientError } from './read-client-error.ts'

/** The error that a program sees of a call that must fail. Throws where it did not. */
export async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  let answer: unknown
  try {
    answer = await call
  } catch (error) {
    return readClientError(error)
  }
  throw new Error(`did not fail: ${JSON.stringify(answer)}`)
}
