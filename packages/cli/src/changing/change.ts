// What a person asks for comes to: refused, nothing to do, or a change with what happens next. Pure.

export type Change<What extends object> =
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }
  | { readonly kind: 'same'; readonly text: string }
  | ({ readonly kind: 'change'; readonly did: string; readonly next: string } & Readonly<What>);
