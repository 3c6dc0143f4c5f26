import * as RadixTabs from '@radix-ui/react-tabs'
import type { ReactNode } from 'react'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly content: ReactNode
}

interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly active: Name
  readonly onChange: (name: Name) => void
}

export function Tabs<Name extends string>({ label, tabs, active, onChange }: TabsProps<Name>) {
  const choose = (name: string) => {
    const tab = tabs.find((each) => each.name === name)
    if (tab !== undefined) onChange(tab.name)
  }
  return (
    <RadixTabs.Root value={active} onValueChange={choose}>
      <RadixTabs.List aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ name, label: text }) => (
          <RadixTabs.Trigger
            key={name}
            value={name}
            className="-mb-px min-h-10 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-accent"
          >
            {text}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map(({ name, content }) => (
        <RadixTabs.Content key={name} value={name} className="outline-offset-4">
          {content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  )
}
