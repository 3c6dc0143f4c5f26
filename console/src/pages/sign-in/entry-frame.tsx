import type { ReactNode } from 'react'
import { DisplayMenu } from '../../shell/display-menu.tsx'
import { Logo, PRODUCT } from '../../shell/logo.tsx'
import { usePageTitle } from '../../ui/page-header.tsx'

interface EntryFrameProps {
  readonly title: string
  readonly children: ReactNode
}

/** The frame of the pages before the sign-in. */
export function EntryFrame({ title, children }: EntryFrameProps) {
  usePageTitle(title)
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex items-center justify-between px-5 py-3">
        <Logo />
        <DisplayMenu />
      </header>
      <main className="mx-auto w-full max-w-md flex-1 px-4 pt-[8vh] pb-10">
        <div className="rounded-xl border border-line bg-surface p-6 shadow-lift">
          <h1 className="mb-5 text-xl font-semibold">{title}</h1>
          {children}
        </div>
      </main>
      <footer className="pb-5 text-center text-xs text-muted">{PRODUCT}</footer>
    </div>
  )
}
