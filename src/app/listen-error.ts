import { errorCodeOf } from '../kit/values/error-code.ts'

/** Why a listener could not be opened, with the setting that says where it is to be. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly setting: 'listen' | 'admin.listen'
  readonly port: number
  /** Node's, such as `EADDRINUSE`. */
  readonly code: string

  constructor(setting: ListenError['setting'], port: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.setting = setting
    this.port = port
    this.code = errorCodeOf(cause) ?? ''
  }
}
