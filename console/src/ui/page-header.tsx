import { type ReactNode, useEffect } from 'react'

interface PageHeaderProps {
  readonly title: string
  /** One sentence on the purpose of the page. */
  readonly description?: ReactNode
  readonly actions?: ReactNode
}

export function PageHeader({ title, description, actions }: PageHeaderProps) {
  usePageTitle(title)
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3 sm:flex-nowrap">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
        {description !== undefined && <p className="mt-0.5 max-w-3xl text-muted">{description}</p>}
      </div>
      {actions !== undefined && (
        <div className="flex flex-wrap gap-2 sm:shrink-0 sm:flex-nowrap">{actions}</div>
      )}
    </header>
  )
}

/** Sets the title of the browser tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Headgate`
  }, [title])
}
