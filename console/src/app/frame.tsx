import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { MeWithOperations } from '../../../src/admin/people/people-contract.ts'
import { watchOtherTabs } from '../api/other-tabs.ts'
import { meQuery } from '../api/session.ts'
import { consolePath } from '../browser/addresses.ts'
import { t } from '../language/language.ts'
import { LateSecret } from '../pages/keys/late-secret.tsx'
import { MissingFactorPage } from '../pages/sign-in/missing-factor-page.tsx'
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx'
import { isWithheld } from '../shell/navigation.ts'
import { useShell } from '../shell/shell-context.ts'
import { MeContext, usePermissions } from '../shell/use-me.ts'
import { ErrorState, Skeleton } from '../ui/states.tsx'
import { closeToasts } from '../ui/toasts.tsx'
import { CommandPalette } from './command-palette.tsx'
import { DraftBar } from './draft-bar.tsx'
import { OtherRolePage } from './page-states.tsx'
import { Reauthentication } from './reauthentication.tsx'
import { ShortcutList, useGlobalShortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

/** The frame around every page except that of a link. It shows the sign-in page if nobody is signed in. */
export function Frame() {
  const me = useQuery(meQuery)
  const client = useQueryClient()
  useEffect(() => watchOtherTabs(() => void client.invalidateQueries(meQuery)), [client])
  if (me.isPending) return <Skeleton rows={6} />
  if (me.data === undefined) return <ErrorState error={me.error} onRetry={() => void me.refetch()} />
  if (me.data === null) return <SignInPage />
  if (me.data.missing_factor !== null) return <MissingFactorPage missing={me.data.missing_factor} />
  return <SignedInFrame key={me.data.name} me={me.data} />
}

function SignedInFrame({ me }: { readonly me: MeWithOperations }) {
  // The next user must neither read what a toast says of this one's work nor undo it.
  useEffect(() => closeToasts, [])
  return (
    <MeContext value={me}>
      <SkipLink />
      <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <Sidebar />
        <div className="flex min-w-0 flex-col">
          <TopBar />
          <DraftBar />
          <Main />
        </div>
      </div>
      <Overlays />
      <Reauthentication />
      <LateSecret />
    </MeContext>
  )
}

function SkipLink() {
  // A link to another page would not skip anything, so the skip link points to the current page.
  const { pathname } = useLocation()
  return (
    <a
      href={`${consolePath}${pathname}#main`}
      onClick={(event) => {
        event.preventDefault()
        document.getElementById('main')?.focus()
      }}
      className="fixed top-2 left-2 z-50 -translate-y-20 rounded-lg bg-accent-solid px-3 py-2 text-white focus:translate-y-0"
    >
      {t('nav.skip')}
    </a>
  )
}

/**
 * Moves the focus to the new page after navigation, so that screen readers announce it and the keyboard works in it.
 */
function Main() {
  const { pathname } = useLocation()
  const permissions = usePermissions()
  const page = pathname.split('/')[1]
  const ref = useRef<HTMLElement>(null)
  const shownPage = useRef(page)
  useEffect(() => {
    if (shownPage.current !== page) ref.current?.focus({ preventScroll: true })
    shownPage.current = page
  }, [page])
  return (
    <main
      ref={ref}
      id="main"
      tabIndex={-1}
      className="mx-auto w-full max-w-[100rem] min-w-0 flex-1 px-4 py-5 outline-none lg:px-8"
    >
      {isWithheld(pathname, permissions) ? <OtherRolePage /> : <Outlet />}
    </main>
  )
}

function Overlays() {
  const { overlay, closeOverlay } = useShell()
  useGlobalShortcuts()
  return (
    <>
      <CommandPalette isOpen={overlay === 'palette'} onClose={closeOverlay} />
      <ShortcutList isOpen={overlay === 'shortcuts'} onClose={closeOverlay} />
    </>
  )
}
