import { type StartedProcess, startProcess } from '../../support/start-process.ts'

/** A gateway before the demo provider, which says what it was asked. */
export interface ProgramGateway extends AsyncDisposable {
  readonly url: string
  readonly key: string
  /** The requests so far, such as `POST /v1/chat/completions 200`, in order. */
  asked(): readonly string[]
}

const key = 'sk-hg-program-0123456789abcdef'

export async function openProgramGateway(): Promise<ProgramGateway> {
  const gateway = await startProcess(
    [
      `keys: [{ name: program, secret: ${key}, models: ["*"] }]`,
      'channels: [{ name: demo, provider: demo, models: [demo-chat, demo-embed] }]',
      'log: { level: info }',
      '',
    ].join('\n'),
  )
  return {
    url: gateway.url,
    key,
    asked: () => readRequests(gateway),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

const request = /"method":"([A-Z]+)","path":"([^"]+)".*?"status":(\d+)/

function readRequests(gateway: StartedProcess): readonly string[] {
  return gateway
    .output()
    .split('\n')
    .flatMap((line) => {
      const [, method, path, status] = request.exec(line) ?? []
      return method === undefined ? [] : [`${method} ${path} ${status}`]
    })
}
