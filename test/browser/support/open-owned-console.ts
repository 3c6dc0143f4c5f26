import { type Browser, makeOwner } from '../../support/admin-browser.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from './build-console.ts'
import { type ConsoleInBrowser, openConsole } from './open-console.ts'

export interface OwnedConsole extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** The owner outside of Chromium, who calls the admin API as its pages do. */
  readonly owner: Browser
  readonly inBrowser: ConsoleInBrowser
}

/** A gateway with the demo provider and the owner `olga`, and Chromium in front of its console. */
export async function openOwnedConsole(
  yaml = 'channels: [{ name: demo, provider: demo }]\n',
): Promise<OwnedConsole> {
  await using cleanup = new AsyncDisposableStack()
  const gateway = cleanup.use(await startGateway(yaml, undefined, { consoleBuild: buildConsole() }))
  const owner = await makeOwner(gateway, 'olga')
  const inBrowser = cleanup.use(await openConsole(gateway))
  const owned = cleanup.move()
  return { gateway, owner, inBrowser, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
