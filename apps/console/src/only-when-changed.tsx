import { Component, type ComponentType } from 'preact';

/** The component, rendered again only when one of its properties is another one. */
export function onlyWhenChanged<Props extends object>(Shown: ComponentType<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const names = Object.keys(next) as (keyof Props)[];
      return names.some((name) => next[name] !== (this.props as Readonly<Props>)[name]);
    }

    override render() {
      return <Shown {...(this.props as Props)} />;
    }
  };
}
