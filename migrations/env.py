"""Alembic's entry: the connection comes in from the caller through `config.attributes["connection"]`."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], target_metadata=None, transactional_ddl=False)
context.run_migrations()
