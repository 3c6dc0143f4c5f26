/** An error of the demo upstream, in the chat format. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
  readonly status: number
  readonly param: string | null
  readonly code: string | null

  constructor(
    status: number,
    message: string,
    more: { readonly param?: string; readonly code?: string } = {},
  ) {
    super(message)
    this.status = status
    this.param = more.param ?? null
    this.code = more.code ?? null
  }
}
