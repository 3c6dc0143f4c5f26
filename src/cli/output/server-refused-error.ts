/**
 * Thrown where the admin API of the running server refused a request. The message is the API's own and says what to do.
 */
export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError'
}
